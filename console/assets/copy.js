// Buttons that copy the text in `data-copy`.
const SHOWN_MS = 2000;

/** Says it to people who do not see the button. */
function say(text) {
  document.querySelector("[data-announce]").textContent = text;
}

/** Without a secure context there is no clipboard: then the text on the page is selected, and copied the old way. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const places = document.querySelectorAll("main .id, main code, main pre");
    const place = [...places].find((one) => one.textContent.trim() === text);
    if (place) getSelection().selectAllChildren(place);
    return Boolean(place) && document.execCommand("copy");
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button || button.dataset.words) return;
  const done = await copied(button.dataset.copy);
  button.dataset.words = button.textContent;
  button.textContent = done ? "Copied" : "Press Ctrl+C";
  say(done ? "Copied." : "The text is selected. Press Ctrl+C.");
  setTimeout(() => {
    button.textContent = button.dataset.words;
    delete button.dataset.words;
    say("");
  }, SHOWN_MS);
});

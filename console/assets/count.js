// Fields with `data-most` say in their hint how many characters they have, as the service counts them.
const count = (number) => `${number.toLocaleString("en")} character${number === 1 ? "" : "s"}`;

document.addEventListener("input", ({ target }) => {
  const most = Number(target.dataset.most);
  const hint = most && document.getElementById(`hint-${target.id}`);
  if (!hint) return;
  const written = [...target.value.trim()].length;
  const over = written - most;
  hint.textContent = over > 0 ? `${count(over)} too many.` : `${written.toLocaleString("en")} of at most ${count(most)}.`;
});

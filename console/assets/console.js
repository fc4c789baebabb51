// Improves pages that also work without scripts: forms answer in place, times are in the viewer's zone, keys, live updates.
import "./address.js";
import "./copy.js";
import "./count.js";
import { foldFilters } from "./fold.js";
import "./forms.js";
import "./found.js";
import "./keys.js";
import { follow } from "./live.js";
import "./lost.js";
import { followMore } from "./more.js";
import { remember } from "./patch.js";
import { prepare } from "./prepare.js";
import { refresh } from "./refresh.js";
import "./suggest.js";
import { setClock } from "./times.js";

// A file for a text area.
document.addEventListener("change", async (event) => {
  const file = event.target.dataset.into && event.target.files[0];
  if (file) document.getElementById(event.target.dataset.into).value = await file.text();
});

document.addEventListener("click", (event) => event.target.closest("[data-dismiss]")?.parentElement.remove());

document.documentElement.classList.add("scripted");
setClock(document);
remember(document);
prepare(document);
foldFilters(document);
follow(document.body.dataset.guild);
followMore();
if (!document.body.dataset.guild) refresh();

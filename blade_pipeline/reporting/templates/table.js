"use strict";
// Tables that can be filtered, sorted and paged. Rows beyond the first page wait in a <template>.
const add = (parent, tag, text, name) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text) made.textContent = text;
  parent.append(made);
  return made;
};

const liveTable = (holder) => {
  const size = Number(holder.dataset.tasks);
  const body = holder.querySelector("tbody");
  const waiting = holder.querySelector("template");
  const rows = [...body.rows, ...(waiting ? waiting.content.querySelectorAll("tr") : [])].map((row) => ({
    row,
    words: row.textContent.toLowerCase(),
    keys: row.dataset.keys.split(";").map((found) => found.split(",")),
    values: [...row.cells].map((cell) => cell.dataset.value ?? cell.textContent),
  }));
  const tools = holder.querySelector(".tools");
  const selects = [...tools.querySelectorAll("select")];
  const search = tools.querySelector("input");
  const pages = tools.querySelector(".pages");
  const button = (name) => tools.querySelector(`[data-do=${name}]`);
  const state = { page: 0, shown: rows };

  const show = (most = size) => {
    const total = state.shown.length;
    const last = Math.max(0, Math.ceil(total / most) - 1);
    state.page = Math.min(Math.max(state.page, 0), last);
    const start = state.page * most;
    const end = Math.min(start + most, total);
    body.replaceChildren(...state.shown.slice(start, end).map((entry) => entry.row));
    const part = last ? `, rows ${start + 1} to ${end} on this page` : "";
    tools.querySelector("output").textContent = `${total} of ${rows.length} shown${part}`;
    pages.hidden = !last;
    button("back").disabled = !state.page;
    button("on").disabled = state.page === last;
  };

  const filter = () => {
    const words = search.value.trim().toLowerCase();
    const chosen = selects.filter((select) => select.value);
    const fits = ({ keys }) => chosen.every((select) => keys[select.dataset.place].includes(select.value));
    state.shown = rows.filter((entry) => entry.words.includes(words) && fits(entry));
    state.page = 0;
    show();
  };

  const order = new Intl.Collator("en", { numeric: true });
  const compare = (a, b) => (isNaN(a) || isNaN(b) || !a || !b ? order.compare(a, b) : a - b);
  const sort = (heading, column) => {
    const down = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of holder.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down < 0 ? "descending" : "ascending");
    rows.sort((a, b) => down * compare(a.values[column], b.values[column]));
    filter();
  };

  holder.querySelectorAll("thead th").forEach((heading, column) => {
    const made = document.createElement("button");
    made.type = "button";
    made.append(...heading.childNodes);
    heading.append(made);
    made.addEventListener("click", () => sort(heading, column));
  });
  for (const select of selects) select.addEventListener("change", filter);
  search.addEventListener("input", filter);
  button("clear").addEventListener("click", () => {
    for (const select of selects) select.value = "";
    search.value = "";
    filter();
  });
  button("back").addEventListener("click", () => { state.page -= 1; show(); });
  button("on").addEventListener("click", () => { state.page += 1; show(); });
  let left = 0;
  addEventListener("beforeprint", () => { left = state.page; show(Math.max(state.shown.length, 1)); });
  addEventListener("afterprint", () => { state.page = left; show(); });
  readable(holder, rows);
  tools.hidden = false;
  filter();
};

// One passing and one failing rollout of a task, step by step; all text goes in as text.
const readable = (holder, rows) => {
  const dialog = holder.querySelector("dialog");
  if (!dialog) return;
  const tasks = JSON.parse(holder.querySelector("script").textContent);

  const step = (list, [number, what, size, status, error, text], parts) => {
    const item = add(list, "li", "", parts ? "parts" : "");
    const head = add(item, "p", "", "step");
    add(head, "b", `${number}. ${what}`);
    add(head, "span", [size, status].filter(Boolean).join(", "));
    if (error) add(head, "strong", "looks like an error");
    if (parts) add(head, "em", "they part here");
    if (text) add(item, "pre", text);
  };

  const side = (parent, found, parts) => {
    const part = add(parent, "section", "", "side");
    add(part, "h4", found.title);
    add(part, "p", found.place, "quiet");
    if (found.unread) add(part, "p", found.unread, "absent");
    const list = add(part, "ol", "", "steps");
    for (const entry of found.steps) step(list, entry, entry[0] === parts);
    if (!found.steps.length) add(part, "p", "No step is recorded.");
  };

  const open = (task) => {
    dialog.querySelector("h3").textContent = task.name;
    dialog.querySelector(".difference").textContent = task.difference || "The task has only one kind of rollout.";
    dialog.querySelector(".question").textContent = task.question || "No message states the task.";
    const sides = dialog.querySelector(".sides");
    sides.replaceChildren();
    for (const found of task.sides) side(sides, found, task.step);
    dialog.showModal();
    dialog.scrollTop = 0;
  };

  for (const { row } of rows) {
    if (!row.dataset.opens) continue;
    const task = tasks[Number(row.dataset.opens)];
    const cell = row.cells[0];
    cell.classList.toggle("short", cell.textContent.length <= 24);
    const made = add(cell, "button", "Read", "read");
    made.type = "button";
    made.setAttribute("aria-label", `Read rollouts: ${task.name}`);
    made.addEventListener("click", () => open(task));
  }
  dialog.querySelector("[data-do=close]").addEventListener("click", () => dialog.close());
};

for (const holder of document.querySelectorAll("[data-tasks]")) liveTable(holder);
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
});

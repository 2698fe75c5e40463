"use strict";
for (const holder of document.querySelectorAll("[data-tasks]")) {
  const body = holder.querySelector("tbody");
  const rows = Array.from(body.rows);
  const tools = holder.querySelector(".tools");
  const [select, search, output] = ["select", "input", "output"].map((name) => tools.querySelector(name));
  const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;

  const filter = () => {
    const words = search.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = (!select.value || row.dataset.group === select.value) && row.textContent.toLowerCase().includes(words);
      row.hidden = !fits;
      shown += fits;
    }
    output.textContent = `${shown} of ${rows.length} shown`;
  };

  const sort = (heading, column) => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of holder.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const order = new Intl.Collator("en", { numeric: true });
    rows.sort((a, b) => order.compare(value(a, column), value(b, column)) * (down ? -1 : 1));
    body.append(...rows);
  };

  holder.querySelectorAll("thead th").forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sort(heading, column));
  });
  select.addEventListener("change", filter);
  search.addEventListener("input", filter);
  tools.hidden = false;
  filter();
}
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
});

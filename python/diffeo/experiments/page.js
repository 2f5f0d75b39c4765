// Tables that are sorted by a click or a key on the head of a column, and pictures that unfold for paper.
(() => {
  "use strict";
  const OPPOSITE = { ascending: "descending", descending: "ascending" };

  /** What a cell is sorted by: a number of full precision where there is one; null for none. */
  const keyOf = (cell, isNumber) => {
    if (!isNumber) return cell.textContent.trim();
    const data = cell.querySelector("data");
    return data ? Number(data.value) : null;
  };

  /** A number that is missing comes last, whichever way. */
  const compare = (a, b, sign) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
  };

  const sort = (table, head, direction) => {
    const isNumber = head.dataset.sort === "number";
    const column = [...head.parentElement.children].indexOf(head);
    const sign = direction === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[column], isNumber) }));
    rows.sort((a, b) => compare(a.key, b.key, sign)); // stable: equal rows keep the order they have
    body.append(...rows.map(({ row }) => row));
    for (const each of table.querySelectorAll("[aria-sort]")) each.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", direction);
  };

  const makeSortable = (table) => {
    for (const head of table.querySelectorAll("th[data-sort]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
      const first = head.dataset.sort === "number" ? "descending" : "ascending";
      button.addEventListener("click", () => sort(table, head, OPPOSITE[head.getAttribute("aria-sort")] ?? first));
    }
  };

  const watchPrinting = () => {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open])")];
      for (const each of opened) each.open = true;
    });
    addEventListener("afterprint", () => {
      for (const each of opened) each.open = false;
    });
  };

  document.querySelectorAll("table.sortable").forEach(makeSortable);
  watchPrinting();
})();

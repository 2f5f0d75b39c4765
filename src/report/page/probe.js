// What the reader points at in a chart, with the pointer or with the arrow keys: its value beside it, its line outlined.
//
// A chart is what LineChart.draw and HeatMap.draw return; `current` gives the one that is drawn at the moment.
const Probe = (() => {
  "use strict";
  const tip = () => document.getElementById("tip");
  const hide = (host) => {
    tip().hidden = true;
    host.querySelectorAll(".outline, .dot").forEach((each) => each.remove());
  };

  const show = (host, chart, place) => {
    hide(host);
    const { px, py, text, outline } = chart.mark(place);
    const svg = host.querySelector("svg");
    const add = (name, attributes) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      svg.append(element);
    };
    add("path", { d: outline, class: "outline" });
    if (Number.isFinite(py)) add("circle", { cx: px, cy: py, r: 4, class: "dot" });
    tip().textContent = text;
    tip().hidden = false;
    const box = host.getBoundingClientRect();
    const x = Math.min(box.left + px + 14, document.documentElement.clientWidth - tip().offsetWidth - 8);
    const y = box.top + (Number.isFinite(py) ? py : 0) - tip().offsetHeight - 12;
    tip().style.left = `${Math.max(x, 8)}px`;
    tip().style.top = `${Math.max(y, 8)}px`;
  };

  const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  const stepped = (chart, place, [lines, places]) => {
    const within = (value, count) => Math.min(Math.max(value, 0), count - 1);
    const line = within(place.line + lines, chart.lines);
    return { line, index: within(place.index + places, chart.places(line)) };
  };

  const attach = (host, current) => {
    let place = null;
    host.tabIndex = 0;
    host.addEventListener("pointermove", (event) => {
      const chart = current();
      const box = host.getBoundingClientRect();
      place = chart && chart.nearest(event.clientX - box.left, event.clientY - box.top);
      if (place) show(host, chart, place);
    });
    host.addEventListener("pointerleave", () => hide(host));
    host.addEventListener("blur", () => hide(host));
    host.addEventListener("keydown", (event) => {
      const chart = current();
      if (event.key === "Escape") hide(host);
      if (!chart || !chart.lines || !(event.key in STEPS)) return;
      event.preventDefault();
      const middle = { line: 0, index: Math.floor(chart.places(0) / 2) };
      place = stepped(chart, place || middle, place ? STEPS[event.key] : [0, 0]);
      show(host, chart, place);
    });
  };

  return Object.freeze({ attach });
})();

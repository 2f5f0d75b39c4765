// The page about an alignment, alive: charts are drawn when they come into sight, and again when time, channel or width
// change. A figure says what it shows: <div class="plot" data-chart="warps" data-group="0">.
(() => {
  "use strict";
  const data = AlignmentData.open(JSON.parse(document.getElementById("numbers").textContent));
  const view = { data, time: 1, channel: 0 };
  const MOVING = new Set(["seriesAfter", "heatAfter", "warps"]);
  const PLAY_SECONDS = 3;
  const one = (selector) => document.querySelector(selector);

  const plots = [...document.querySelectorAll(".plot")].map((host) => {
    const { chart, group, layer } = host.dataset;
    const numbers = [group, layer].filter((each) => each !== undefined).map(Number);
    return { host, chart, numbers, stale: true, seen: false, drawn: null };
  });

  const drawPlot = (plot) => {
    if (!plot.host.clientWidth) return; // in a class that is folded up
    plot.drawn = AlignmentCharts[plot.chart](plot.host, view, ...plot.numbers);
    plot.width = plot.host.clientWidth;
    plot.stale = false;
  };

  let waiting = false;
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      plots.filter((plot) => plot.seen && plot.stale).forEach(drawPlot);
    });
  };
  const makeStale = (condition) => {
    for (const plot of plots) if (condition(plot)) plot.stale = true;
    redraw();
  };

  const watch = () => {
    const byHost = new Map(plots.map((plot) => [plot.host, plot]));
    const sight = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) byHost.get(target).seen = isIntersecting;
        redraw();
      },
      { rootMargin: "300px" },
    );
    const size = new ResizeObserver((entries) => {
      const changed = new Set(entries.map((entry) => entry.target));
      makeStale((plot) => changed.has(plot.host) && plot.width !== plot.host.clientWidth);
    });
    for (const plot of plots) {
      sight.observe(plot.host);
      size.observe(plot.host);
      Probe.attach(plot.host, () => plot.drawn);
    }
  };

  // On paper every class is open, and everything is drawn; afterwards what was folded up is again.
  const watchPrinting = () => {
    let opened = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open])")];
      for (const each of opened) each.open = true;
      plots.filter((plot) => plot.stale).forEach(drawPlot);
    });
    addEventListener("afterprint", () => {
      for (const each of opened) each.open = false;
    });
  };

  const words = (time) => (time === 0 ? "recorded" : time === 1 ? "aligned" : "between");

  const setTime = (time) => {
    view.time = time;
    one("#time").value = time;
    one("#time").setAttribute("aria-valuetext", `${time.toFixed(2)}, ${words(time)}`);
    one("#time-now").textContent = `t = ${time.toFixed(2)}`;
    for (const each of document.querySelectorAll(".time-now")) each.textContent = `t = ${time.toFixed(2)}`;
    makeStale((plot) => MOVING.has(plot.chart));
  };

  /** From 0 to 1 once; at once, without motion, for readers who ask for less of it. */
  const makePlayer = (button) => {
    let running = 0;
    const stop = () => {
      cancelAnimationFrame(running);
      running = 0;
      button.textContent = "Play";
      button.setAttribute("aria-pressed", "false");
    };
    const play = () => {
      const start = performance.now();
      button.textContent = "Stop";
      button.setAttribute("aria-pressed", "true");
      const step = (now) => {
        const time = Math.min(Math.max((now - start) / (1000 * PLAY_SECONDS), 0), 1);
        setTime(Math.round(time * 100) / 100);
        running = time < 1 ? requestAnimationFrame(step) : 0;
        if (!running) stop();
      };
      running = requestAnimationFrame(step);
    };
    button.addEventListener("click", () => {
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) setTime(view.time === 1 ? 0 : 1);
      else if (running) stop();
      else play();
    });
    return stop;
  };

  const connectControls = () => {
    if (one("#time")) {
      const stop = makePlayer(one("#play"));
      one("#time").addEventListener("input", (event) => {
        stop();
        setTime(Number(event.target.value));
      });
    }
    one("#channel")?.addEventListener("change", (event) => {
      view.channel = Number(event.target.value);
      makeStale((plot) => plot.chart !== "curve");
    });
    one("#jump")?.addEventListener("change", (event) => {
      const section = document.getElementById(event.target.value);
      section.open = true;
      section.scrollIntoView();
      section.querySelector("summary").focus({ preventScroll: true });
    });
  };

  connectControls();
  if (one("#time")) setTime(Number(one("#time").value)); // a reloaded page may remember another
  watch();
  watchPrinting();
  // For tests, and for whoever wants the numbers.
  window.diffeoReport = Object.freeze({ Flow, Sampling, data, view });
})();

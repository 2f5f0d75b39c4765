// The flow of a continuous velocity field that is affine in each cell of [0, 1]: a port of the core's closed form.
//
// A point is carried from cell to cell; in each, with E(z) = expm1(z)/z and L(w) = log1p(w)/w (docs/math.md, 2),
//     where it is after time t       x + v(x) t E(s t)
//     when it reaches the border     distance / slow * L(fast / slow - 1), from the slower end, where nothing cancels
// Beyond the ends the first and the last cell's field goes on. Exact but for rounding; O(cells passed) a point.
const Flow = (() => {
  "use strict";
  const LARGEST_RATIO = 1e150; // beyond it 1 + w is w, and the quotient of speeds might overflow

  const expRatio = (z) => (z === 0 ? 1 : Math.expm1(z) / z);
  const logRatio = (w) => (w === 0 ? 1 : Math.log1p(w) / w);

  /** Infinite where the point never arrives. */
  const crossingTime = (distance, speed, borderSpeed) => {
    const slow = Math.min(speed, borderSpeed);
    const fast = Math.max(speed, borderSpeed);
    if (!(slow > 0)) return Infinity;
    const w = fast / slow - 1;
    if (w < LARGEST_RATIO) return (distance / slow) * logRatio(w);
    return (distance / (fast - slow)) * (Math.log(fast) - Math.log(slow));
  };

  /** A vertex belongs to the cell on its right. */
  const cellOf = (x, cells) => {
    let cell = Math.min(Math.max(Math.floor(x * cells), 0), cells - 1);
    while (cell < cells - 1 && x >= (cell + 1) / cells) ++cell;
    while (cell > 0 && x < cell / cells) --cell;
    return cell;
  };

  /** The field at x, of a cell with these vertices and velocities, measured from the nearer vertex. */
  const velocityIn = (cell, cells, left, right, x) => {
    const slope = (right - left) * cells;
    const fromLeft = x - cell / cells;
    const toRight = (cell + 1) / cells - x;
    return fromLeft <= toRight ? left + slope * fromLeft : right - slope * toRight;
  };

  /** x + v(x) t E(s t). Where the field contracts, x and the way would cancel: from the nearer vertex instead (3.3). */
  const movedIn = (cell, cells, left, right, x, time) => {
    const z = (right - left) * cells * time;
    if (z >= -1) return x + velocityIn(cell, cells, left, right, x) * time * expRatio(z);
    const isLeft = x - cell / cells <= (cell + 1) / cells - x;
    const vertex = (isLeft ? cell : cell + 1) / cells;
    return vertex + (isLeft ? left : right) * time * expRatio(z) + (x - vertex) * Math.exp(z);
  };

  /** velocities: one per vertex. Where the point is after `time`, of any sign; infinite where that overflows. */
  const position = (velocities, point, time) => {
    if (!Number.isFinite(point)) return point; // a layer before this one has overflowed
    const cells = velocities.length - 1;
    const sign = time < 0 ? -1 : 1;
    let rest = Math.abs(time);
    let x = point;
    let cell = cellOf(x, cells);
    for (;;) {
      const left = sign * velocities[cell];
      const right = sign * velocities[cell + 1];
      const velocity = velocityIn(cell, cells, left, right, x);
      if (velocity === 0 || rest === 0) return x;
      const rightwards = velocity > 0;
      const reached = movedIn(cell, cells, left, right, x, rest);
      if (cell === (rightwards ? cells - 1 : 0)) return reached;
      const border = (rightwards ? cell + 1 : cell) / cells;
      const needed = crossingTime(Math.abs(border - x), Math.abs(velocity), rightwards ? right : -left);
      if (!(needed <= rest)) return rightwards ? Math.min(reached, border) : Math.max(reached, border);
      rest -= needed;
      x = border;
      cell += rightwards ? 1 : -1;
    }
  };

  /** layers: the velocities of each. phi_1(phi_2(... phi_L(point))), the time of every layer's flow `time`. */
  const positions = (layers, points, time) => {
    const result = Float64Array.from(points);
    for (let layer = layers.length - 1; layer >= 0; --layer) {
      for (let i = 0; i < result.length; ++i) result[i] = position(layers[layer], result[i], time);
    }
    return result;
  };

  return Object.freeze({ position, positions });
})();

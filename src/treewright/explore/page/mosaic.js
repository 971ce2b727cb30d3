// A picture of regions of any shape, found by asking which leaf answers at a point: squares whose corners agree are one piece, others are
// divided down to a pixel. The regions of sums are convex, so that such a square lies inside one; of any others it is as good as its size.

const PIECE = 8; // pixels; a power of two

// Pieces of a picture: [{ left, top, wide, high, leaves }], with several leaves for a pixel on a border. Levels are bands, of which the
// narrowest is `band` pixels wide.
export function mosaic(width, height, band, leafAt) {
  let piece = PIECE;
  while (piece > band && piece > 1) piece /= 2;
  const across = Math.floor(width) + 1;
  const known = new Map();
  const at = (x, y) => {
    const key = y * across + x;
    if (!known.has(key)) known.set(key, leafAt(x, y));
    return known.get(key);
  };
  const [right, bottom] = [Math.floor(width), Math.floor(height)];
  const out = [];
  const open = [];
  for (let y = 0; y < bottom; y += piece) for (let x = 0; x < right; x += piece) open.push([x, y, piece]);
  while (open.length > 0) {
    const [left, top, side] = open.pop();
    if (left >= right || top >= bottom) continue;
    const [wide, high] = [Math.min(side, right - left), Math.min(side, bottom - top)];
    const leaves = [...new Set([at(left, top), at(left + wide, top), at(left, top + high), at(left + wide, top + high)])];
    if (leaves.length === 1 || side === 1) out.push({ left, top, wide, high, leaves });
    else for (const [dx, dy] of [[0, 0], [1, 0], [0, 1], [1, 1]]) open.push([left + (dx * side) / 2, top + (dy * side) / 2, side / 2]);
  }
  return out;
}

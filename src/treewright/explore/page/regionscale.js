// The axes of the regions: ticks at round places, and as many of their texts as do not overlap.
import { cell, cut } from "./words.js";

const DAY = 86400e6; // microseconds
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 300, 600];

// [value, text] of an axis of { column, low, high, levels }.
export function ticks({ column, low, high, levels }) {
  if (levels > 0) return Array.from({ length: levels }, (_, code) => [code, cell(column, code)]);
  const moments = column.kind === "date" ? monthly(low, high) : [];
  const values = moments.length > 1 ? moments : evenly(low, high);
  return values.map((value) => [value, cell(column, value)]);
}

function evenly(low, high) {
  const raw = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.8) ?? raw;
  const out = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) out.push(Number(value.toPrecision(12)));
  return out;
}

// The first days of months, so far apart that there are a few of them.
function monthly(low, high) {
  const step = MONTHS.find((n) => n * 30 * DAY >= (high - low) / 6);
  if (step === undefined || high - low < 60 * DAY) return [];
  const begin = new Date(low / 1000);
  const out = [];
  for (let month = Math.ceil((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / step) * step; out.length < 12; month += step) {
    const value = Date.UTC(Math.floor(month / 12), month % 12) * 1000;
    if (!(value <= high)) break;
    if (value >= low) out.push(value);
  }
  return out;
}

// The ticks whose texts, cut to `most` characters, keep `gap` pixels from each other: [place, text].
export function apart(found, at, wide, most, gap) {
  const out = [];
  let last = -Infinity;
  const placed = found.map(([value, text]) => [at(value), cut(text, most)]).sort((a, b) => a[0] - b[0]);
  for (const [p, text] of placed) {
    if (p - wide(text) / 2 < last + gap) continue;
    out.push([p, text]);
    last = p + wide(text) / 2;
  }
  return out;
}

// Numbers, shares and intervals as people write them.

export function number(value, digits = 6) {
  if (value === null || value === undefined) return "–";
  const text = String(Number(value.toPrecision(digits)));
  return text === "-0" ? "0" : text;
}

// Thousands separated by thin spaces.
export function grouped(text) {
  const [whole, decimals] = text.split(".");
  return (whole.length > 4 && !text.includes("e") ? whole.replace(/\B(?=(\d{3})+$)/g, "\u2009") : whole) + (decimals ? `.${decimals}` : "");
}

// Two decimals at most.
export function count(value) {
  if (value !== 0 && Math.abs(value) < 0.005) return number(value, 3);
  return grouped(String(Math.round(value * 100) / 100));
}

export function rows(weight) {
  return weight === 1 ? "1 row" : weight === 0 ? "no rows" : `${count(weight)} rows`;
}

export function leaves(n) {
  return n === 1 ? "1 leaf" : `${count(n)} leaves`;
}

// Nothing but all is 100 %, nothing but none is 0 %.
export function share(fraction) {
  const whole = Math.round(fraction * 100);
  if (fraction === 0 || fraction === 1 || (whole !== 0 && whole !== 100)) return `${whole} %`;
  return `${Math.min(99.9, Math.max(0.1, Math.round(fraction * 1000) / 10))} %`;
}

// With one decimal, or as many as it takes for nothing but all to be 100 %.
export function percent(fraction) {
  let digits = 1;
  while (fraction < 1 && digits < 9 && Number((fraction * 100).toFixed(digits)) === 100) digits += 1;
  return `${(fraction * 100).toFixed(fraction === 1 ? 0 : digits)} %`;
}

// A cell of a column in its own terms; dates are microseconds since 1970.
export function cell(column, x) {
  if (x === null) return "missing";
  if (column.levels) return (column.plain ?? column.levels)[x] ?? "missing";
  if (column.kind === "bool") return x ? "True" : "False";
  if (column.kind === "date") return moment(x);
  if (column.kind === "duration") return span(x);
  return number(x);
}

function moment(micro) {
  const date = new Date(micro / 1000);
  if (Number.isNaN(date.getTime())) return number(micro);
  const text = date.toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.slice(0, 16).replace("T", " ");
}

function span(micro) {
  const hours = micro / 3600e6;
  return Math.abs(hours) >= 48 ? `${number(hours / 24, 4)} days` : `${number(hours, 4)} hours`;
}

export function cut(text, most) {
  if (text.length <= most) return text;
  const characters = Array.from(text); // no surrogate pair is cut in halves
  if (characters.length <= most) return text;
  const [head, tail] = [Math.ceil((most - 1) * 0.65), Math.floor((most - 1) * 0.35)];
  return `${characters.slice(0, head).join("")}…${characters.slice(characters.length - tail).join("")}`;
}

// A sum of at most so many characters: its first terms, and how many more there are. Names may hold signs, so that a piece between two
// signs need not be a term.
export function shortSum(text, most) {
  const terms = text.split(/ (?=[+-] )/);
  let keep = terms.length;
  const shown = () => (keep === terms.length ? text : `${terms.slice(0, keep).join(" ")} + …`);
  while (keep > 1 && shown().length > most) keep -= 1;
  return shown();
}

// Words that are written from right to left are isolated, so that they do not reorder the numbers beside them.
export function isolated(text) {
  return text.replace(/\u2068?([\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]+(?:[ '’-]?[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]+)*)\u2069?/gu, "\u2068$1\u2069");
}

// Control characters are shown as escapes.
export function visible(text) {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0);
    const [letter, width] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
    return { 9: "\\t", 10: "\\n", 13: "\\r" }[code] ?? `\\${letter}${code.toString(16).padStart(width, "0")}`;
  });
}

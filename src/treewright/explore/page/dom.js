// Elements are made here only. Whatever a table calls its columns reaches the page as text, never as markup.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function button(text, label, click, more = {}) {
  return make("button", { type: "button", "aria-label": label === text ? null : label, title: label, click, ...more }, text);
}

// A button that is called by the text on it; what it does is told besides.
export function act(text, about, click, more = {}) {
  return button(text, text, click, { title: about, ...more });
}

// Calls `work` once before the next frame, however often it is requested.
export function onFrame(work) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      work();
    });
  };
}

// A canvas of the size of its box in real pixels; `resized` is called whenever that changes.
export function canvasOf(box, resized) {
  const canvas = make("canvas", { "aria-hidden": "true" });
  box.append(canvas);
  const size = { width: 0, height: 0, ratio: 1, canvas, pen: canvas.getContext("2d") };
  const measure = () => {
    const ratio = globalThis.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = box;
    if (size.width === width && size.height === height && size.ratio === ratio) return;
    Object.assign(size, { width, height, ratio });
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    resized();
  };
  new ResizeObserver(measure).observe(box);
  size.measure = measure;
  return size;
}

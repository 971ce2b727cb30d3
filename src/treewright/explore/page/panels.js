// The panels beside the pictures, one at a time, with a tab for each.
import { fill, make } from "./dom.js";
import { number } from "./words.js";

export function tabs(box, name, entries, store) {
  const list = make("div", { role: "tablist", "aria-label": "panels" });
  const panels = entries.map(([key, title, content]) => {
    const panel = make("section", { role: "tabpanel", id: `${name}-panel-${key}`, "aria-labelledby": `${name}-tab-${key}`, tabindex: 0 });
    panel.append(content);
    const tab = make("button", {
      type: "button", role: "tab", id: `${name}-tab-${key}`, "aria-controls": panel.id, click: () => store.set({ tab: key }),
      keydown(event) {
        const turn = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!turn) return;
        event.preventDefault();
        event.stopPropagation();
        const at = entries.findIndex(([other]) => other === store.state.tab);
        const next = (at + turn + entries.length) % entries.length;
        store.set({ tab: entries[next][0] });
        list.children[next].focus();
      },
    }, title);
    list.append(tab);
    return [key, tab, panel];
  });
  const show = () => {
    for (const [key, tab, panel] of panels) {
      const chosen = key === store.state.tab;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      panel.hidden = !chosen;
    }
  };
  store.on(["tab"], show);
  show();
  fill(box, list, ...panels.map(([, , panel]) => panel));
}

// A bar as long as a share.
export function meter(fraction, color, label = null) {
  const bar = make("span", { class: "meter", role: label ? "img" : null, "aria-label": label });
  const inner = make("span");
  inner.style.width = `${Math.max(0, Math.min(100, fraction * 100))}%`;
  inner.style.background = color;
  bar.append(inner);
  return bar;
}

// Several numbers, one per line.
export function outputs(model, values) {
  return make("table", { "aria-label": "numbers" }, make("tbody", {}, ...values.map((value, k) => make("tr", {}, make("th", { scope: "row" }, model.outputs[k]), make("td", {}, number(value))))));
}

export function swatch(color) {
  const box = make("span", { class: "swatch", "aria-hidden": "true" });
  box.style.background = color;
  return box;
}

// Two pens with the same strokes: one draws on a canvas, one writes SVG. Pictures are drawn once and saved as they are seen.

export function canvasPen(context, font) {
  function rect(x, y, w, h, { fill = null, line = null, width = 1, round = 0, dash = null } = {}) {
    context.beginPath();
    if (round > 0) context.roundRect(x, y, w, h, round);
    else context.rect(x, y, w, h);
    if (fill !== null) {
      context.fillStyle = fill;
      context.fill();
    }
    if (line !== null) {
      context.setLineDash(dash ?? []);
      context.strokeStyle = line;
      context.lineWidth = width;
      context.stroke();
      if (dash) context.setLineDash([]);
    }
  }

  function text(x, y, content, { size, bold = false, fill, anchor = "start" }) {
    context.font = `${bold ? "600 " : ""}${size}px ${font}`;
    context.fillStyle = fill;
    context.textAlign = anchor === "middle" ? "center" : anchor;
    context.fillText(content, x, y);
  }

  // From above to below, leaving and arriving upright.
  function curve(x0, y0, x1, y1, width, color) {
    const middle = (y0 + y1) / 2;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0, middle, x1, middle, x1, y1);
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke();
  }

  function shape(points, fill, line = null, width = 1) {
    context.beginPath();
    points.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    if (fill !== null) {
      context.closePath();
      context.fillStyle = fill;
      context.fill();
    }
    if (line !== null) {
      context.strokeStyle = line;
      context.lineWidth = width;
      context.stroke();
    }
  }

  function dot(x, y, radius, fill) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = fill;
    context.fill();
  }

  return { rect, text, curve, shape, dot };
}

export function svgPen(font) {
  const out = [];
  const escaped = (content) => content.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const at = (value) => Math.round(value * 100) / 100;

  return {
    rect(x, y, w, h, { fill = null, line = null, width = 1, round = 0, dash = null } = {}) {
      out.push(`<rect x="${at(x)}" y="${at(y)}" width="${at(w)}" height="${at(h)}" rx="${round}" fill="${fill ?? "none"}"${line ? ` stroke="${line}" stroke-width="${at(width)}"` : ""}${dash ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`);
    },
    text(x, y, content, { size, bold = false, fill, anchor = "start" }) {
      out.push(`<text x="${at(x)}" y="${at(y)}" font-size="${size}"${bold ? ' font-weight="600"' : ""} fill="${fill}" text-anchor="${anchor}">${escaped(content)}</text>`);
    },
    curve(x0, y0, x1, y1, width, color) {
      const middle = at((y0 + y1) / 2);
      out.push(`<path d="M${at(x0)} ${at(y0)}C${at(x0)} ${middle} ${at(x1)} ${middle} ${at(x1)} ${at(y1)}" fill="none" stroke="${color}" stroke-width="${at(width)}"/>`);
    },
    shape(points, fill, line = null, width = 1) {
      out.push(`<path d="M${points.map(([x, y]) => `${at(x)} ${at(y)}`).join("L")}${fill ? "Z" : ""}" fill="${fill ?? "none"}"${line ? ` stroke="${line}" stroke-width="${width}"` : ""}/>`);
    },
    dot(x, y, radius, fill) {
      out.push(`<circle cx="${at(x)}" cy="${at(y)}" r="${radius}" fill="${fill}"/>`);
    },
    document(x, y, width, height, ground, title) {
      const box = [x, y, width, height].map(at).join(" ");
      return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" width="${at(width)}" height="${at(height)}" role="img" font-family="${escaped(font)}"><title>${escaped(title)}</title><rect x="${at(x)}" y="${at(y)}" width="${at(width)}" height="${at(height)}" fill="${ground}"/>${out.join("")}</svg>`;
    },
  };
}

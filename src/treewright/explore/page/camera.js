// Panning and zooming of a canvas by pointers, wheel and pinch. A camera is { x, y, k }: where the origin stands, and the scale.

export const LEAST = 0.01;
const MOST = 3;

export function zoomed(camera, factor, x, y) {
  const k = Math.min(MOST, Math.max(LEAST, camera.k * factor));
  return { x: x - ((x - camera.x) * k) / camera.k, y: y - ((y - camera.y) * k) / camera.k, k };
}

export function watch(canvas, { pan, zoom, click, twice, hover }) {
  const down = new Map();
  let moved = 0;
  let last = { time: 0, x: 0, y: 0 };
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (hover) hover(-1, -1);
    down.set(event.pointerId, place(event));
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = down.get(event.pointerId);
    if (before === undefined) {
      if (hover) hover(...now);
      return;
    }
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    moved += Math.abs(dx) + Math.abs(dy);
    const other = [...down].find(([id]) => id !== event.pointerId);
    if (other) {
      const [ox, oy] = other[1];
      const gap = (at) => Math.max(1, Math.hypot(at[0] - ox, at[1] - oy));
      zoom(gap(now) / gap(before), (now[0] + ox) / 2, (now[1] + oy) / 2);
    } else if (moved > 4) pan(dx, dy);
    down.set(event.pointerId, now);
  });
  const up = (event) => {
    const at = down.get(event.pointerId);
    down.delete(event.pointerId);
    if (at === undefined || event.type === "pointercancel" || moved > 4 || down.size > 0) return;
    const again = event.timeStamp - last.time < 350 && Math.hypot(at[0] - last.x, at[1] - last.y) < 8;
    last = again ? { time: 0, x: 0, y: 0 } : { time: event.timeStamp, x: at[0], y: at[1] };
    if (again && twice) twice(...at);
    else click(...at);
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => hover && down.size === 0 && hover(-1, -1));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 20 : 1;
    if (event.shiftKey) pan(-(event.deltaX || event.deltaY) * unit, 0);
    else zoom(Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0018)), ...place(event));
  }, { passive: false });
}

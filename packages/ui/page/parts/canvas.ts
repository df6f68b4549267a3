/** The canvas in the pixels of the screen, cleared. */
export function fitted(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
  const { width, height } = canvas.getBoundingClientRect();
  const scale = window.devicePixelRatio;
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext('2d');
  context?.scale(scale, scale);
  return context;
}

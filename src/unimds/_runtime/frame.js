// Tells the frames of unimds whether the page around them is dark: by the colour of its text,
// which every notebook sets, whatever it calls its themes. The frames cannot look for themselves.
(() => {
  const theme = (frame) => {
    const rgb = /^rgba?\((\d+), ?(\d+), ?(\d+)/.exec(getComputedStyle(frame.parentElement).color);
    return rgb && 0.299 * rgb[1] + 0.587 * rgb[2] + 0.114 * rgb[3] > 127 ? "dark" : "light";
  };
  const tell = () => document.querySelectorAll("iframe.unimds").forEach((frame) => {
    frame.contentWindow?.postMessage({ unimdsTheme: theme(frame) }, "*");
  });
  if (window.unimdsTell) return window.unimdsTell(); // of many frames one script is enough
  window.unimdsTell = tell;
  const later = () => { tell(); setTimeout(tell, 400); }; // themes may fade in
  addEventListener("message", ({ data }) => { if (data === "unimdsTheme?") tell(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", later);
  const watch = new MutationObserver(later);
  for (const part of [document.documentElement, document.body]) watch.observe(part, { attributes: true });
})();

"use strict";
{
  const plots = new Map();

  // A curve has the colour of its swatch in the legend, which the style sheet gives, for light pages and dark ones.
  const colour = (id, view) => {
    for (const button of document.querySelectorAll(`button[data-plot="${id}"]`)) {
      const value = getComputedStyle(button.querySelector(".swatch")).color;
      for (const { glyph, tags } of view.model.renderers) {
        if (!tags.includes(Number(button.dataset.curve))) continue;
        if (glyph.type === "Line") glyph.line_color = { value };
        else glyph.fill_color = { value };
      }
    }
  };

  // Each plot is drawn by itself, in the order of the page, so that the page can be read before the last is there.
  const draw = async (data) => {
    const target = document.getElementById(data.dataset.for);
    const views = await Bokeh.embed.embed_item(JSON.parse(data.textContent), target.id);
    const [view] = views;
    plots.set(target.id, view);
    colour(target.id, view);
    if (document.querySelector(`button[data-plot="${target.id}"]`)) followPointer(target, view);
    // On a touch screen a finger that scrolls the page must not draw zoom boxes.
    if (matchMedia("(pointer: coarse)").matches) {
      for (const tool of view.model.toolbar.tools) if (tool.type === "BoxZoomTool") tool.active = false;
    }
    data.remove();
  };

  const drawAll = async () => {
    for (const data of document.querySelectorAll("script[data-for]")) {
      try {
        await draw(data);
      } catch (error) {
        console.error(`could not draw ${data.dataset.for}`, error);
      }
    }
    document.documentElement.dataset.plots = plots.size;
  };

  // The legend shows and hides what carries its curve's number.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-curve]");
    const view = button && plots.get(button.dataset.plot);
    if (!view) return;
    const shown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", shown);
    for (const renderer of view.model.renderers) {
      if (renderer.tags.includes(Number(button.dataset.curve))) renderer.visible = shown;
    }
  });

  // Axes, too, take their colours from the style sheet, when they are painted.
  const repaint = () => plots.forEach((view, id) => {
    colour(id, view);
    view.request_repaint();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  matchMedia("print").addEventListener("change", repaint);

  // The contents mark the section being read.
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const mark = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(target.id)?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-10% 0px -85% 0px" });
  document.querySelectorAll("main section").forEach((section) => mark.observe(section));

  drawAll();
}

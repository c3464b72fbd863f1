// Light and dark: as the system says until the button is pressed. Nothing is remembered. Paper is always light.
const root = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
}

function themeChanged() {
  document.getElementById("theme").textContent = isDark() ? "Light colours" : "Dark colours";
  document.dispatchEvent(new Event("themechange"));
}

function startTheme() {
  const button = document.getElementById("theme");
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    themeChanged();
  });
  prefersDark.addEventListener("change", themeChanged);
  let before;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    root.dataset.theme = "light";
    themeChanged();
  });
  addEventListener("afterprint", () => {
    if (before) root.dataset.theme = before;
    else delete root.dataset.theme;
    themeChanged();
  });
  themeChanged();
}

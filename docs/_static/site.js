// The side bar shows the page that is open, however far down its list it stands.
addEventListener("DOMContentLoaded", () => {
  const bar = document.querySelector(".sidebar-scroll");
  const here = bar?.querySelector(".current-page");
  if (here && here.offsetTop > bar.clientHeight * 0.8) {
    bar.scrollTo({ top: here.offsetTop - bar.clientHeight / 2, behavior: "instant" });
  }
});

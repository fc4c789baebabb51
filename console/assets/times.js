// Times in the viewer's zone.
const form = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function showTimes(within) {
  for (const time of within.querySelectorAll("time[datetime]:not([data-shown])")) {
    time.title = `${form.format(new Date(time.dateTime))} (${time.title})`;
    time.dataset.shown = "";
  }
}

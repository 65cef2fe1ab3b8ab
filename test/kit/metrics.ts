/** Returns a value from the text of GET /metrics. Returns undefined if no series has this name and these labels. */
export function metricValue(text: string, name: string, labels = ''): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(labels));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
}

/** A count with its noun, such as `1 token` and `2,000 tokens`. @param one the noun of one; `s` makes it many. */
export function countText(count: number, one: string): string {
  return `${count.toLocaleString()} ${count === 1 ? one : `${one}s`}`
}

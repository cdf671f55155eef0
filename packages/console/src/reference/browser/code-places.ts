/** What stands in the code of the pages in place of the gateway's address and the reader's key. */
import { KEY_PLACE } from '../../samples/code-parts.ts'

/** As the documents write it. */
const ADDRESS = 'http://localhost:8787'
/** As the documents write a key, and as the samples do. */
const KEYS = ['sk-svc-…', KEY_PLACE] as const

interface KeyPlace {
  readonly node: Text
  /** Its text without a key. */
  readonly text: string
}

function textsOf(selector: string): Text[] {
  return [...document.querySelectorAll(selector)].flatMap((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    const found: Text[] = []
    while (walker.nextNode() !== null) found.push(walker.currentNode as Text)
    return found
  })
}

/** The pages are the same files everywhere: the gateway that serves them is where its readers reach it. */
export function fillAddress(): void {
  for (const node of textsOf('[data-code]')) {
    if (node.data.includes(ADDRESS)) node.data = node.data.replaceAll(ADDRESS, location.origin)
  }
}

let places: readonly KeyPlace[] | null = null

/** Shows a key in the code of the page; null takes it out again. */
export function fillKey(key: string | null): void {
  places ??= textsOf('[data-code]')
    .filter(({ data }) => KEYS.some((place) => data.includes(place)))
    .map((node) => ({ node, text: node.data }))
  for (const { node, text } of places) {
    node.data = key === null ? text : KEYS.reduce((filled, place) => filled.replaceAll(place, key), text)
  }
}

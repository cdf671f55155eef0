/**
 * Reads server-sent events as the gateway writes them: yields the data of each event, several lines joined by line
 * feeds. Comments and other fields are skipped. Source: HTML Living Standard, 9.2.
 */
export async function* readEventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const bytes of body) {
    const { lines, remainder } = splitLines(rest + decoder.decode(bytes, { stream: true }))
    rest = remainder
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
      if (line !== '' || data.length === 0) continue
      yield data.join('\n')
      data = []
    }
    if (rest.length > LINE_CHARACTERS_MAX) throw new RangeError('A line of the event stream is too long.')
  }
}

/** A bound of memory, far above any real chunk: images in chat come as data URLs of some megabytes. */
const LINE_CHARACTERS_MAX = 64 * 1_024 * 1_024

/**
 * A carriage return at the end stays in the remainder: the line feed that belongs to it may come with the next bytes.
 */
function splitLines(text: string): { lines: string[]; remainder: string } {
  const held = text.endsWith('\r') ? 1 : 0
  const lines = text.slice(0, text.length - held).split(/\r\n|\n|\r/)
  const remainder = (lines.pop() ?? '') + text.slice(text.length - held)
  return { lines, remainder }
}

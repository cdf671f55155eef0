import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import type { Output } from './output.ts'
import { WordWrap } from './word-wrap.ts'

async function written(pieces: readonly string[], { isTerminal = true, width = 10 } = {}): Promise<string> {
  let all = ''
  const text = (value: string): Promise<void> => {
    all += value
    return Promise.resolve()
  }
  const output = { isTerminal, width: () => width, text } as unknown as Output
  const words = new WordWrap(output)
  for (const piece of pieces) await words.text(piece)
  await words.end()
  return all
}

test('a line ends between words, wherever the pieces end', async () => {
  expect(await written(['The quick bro', 'wn fox jum', 'ps.'])).toBe('The quick\nbrown fox\njumps.')
  expect(await written(['a  b\n\nc '])).toBe('a  b\n\nc ')
})

test('code, words that are wider than the window, and pipes stay as they are', async () => {
  const code = '```\nconst answer = await ask(question)\n```\n'
  expect(await written([code])).toBe(code)
  expect(await written(['https://example.com/a/long/address'])).toBe('https://example.com/a/long/address')
  expect(await written(['The quick brown fox'], { isTerminal: false })).toBe('The quick brown fox')
})

test('writing without blanks is written as it comes', async () => {
  const shown: string[] = []
  const text = (value: string): Promise<void> => {
    shown.push(value)
    return Promise.resolve()
  }
  await new WordWrap({ isTerminal: true, width: () => 80, text } as unknown as Output).text('日本')
  expect(shown.join('')).toBe('日本')
})

test('nothing is lost, and no word that fits is broken', async () => {
  const word = fc.stringMatching(/^[a-z]{1,10}$/)
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1 }), fc.integer({ min: 1, max: 7 }), async (words, size) => {
      const said = words.join(' ')
      const pieces = said.match(new RegExp(`.{1,${size}}`, 'g')) ?? []
      const out = await written(pieces)
      expect(out.split(/[ \n]/)).toEqual(words)
      for (const line of out.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(10)
    }),
  )
})

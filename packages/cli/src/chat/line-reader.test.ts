import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { openLineReader } from './line-reader.ts'

test('what a model has named cannot steer the terminal from a prompt', async () => {
  const [input, notesStream] = [new PassThrough(), new PassThrough()]
  let shown = ''
  notesStream.on('data', (bytes: Buffer) => (shown += bytes.toString()))
  const reader = openLineReader({ input, notesStream }, null, () => Promise.resolve([]))
  const text = reader.read('result of \u001b]52;c;cm0gLXJm\u0007look\u009b2J › ')
  input.write('sunny\n')
  expect(await text).toBe('sunny')
  expect(shown).toContain('result of ]52;c;cm0gLXJmlook2J › ')
  reader.close()
})

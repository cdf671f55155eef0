import { expect, test } from 'vitest'
import { hasMath, withMathMarks } from './math-text.ts'

test.each([
  [String.raw`so \(a^2\) holds`, 'so $$a^2$$ holds'],
  [String.raw`\[ x = 1 \]`, '\n$$\nx = 1\n$$\n'],
  ['where $x_i$ is', 'where $$x_i$$ is'],
  ['$E=mc^2$.', '$$E=mc^2$$.'],
  ['$$\nx\n$$', '$$\nx\n$$'],
  ['It costs $5 and $6 more', 'It costs $5 and $6 more'],
  ['from $10 to $20.', 'from $10 to $20.'],
  ['`$x$` and ```\n$y$\n```', '`$x$` and ```\n$y$\n```'],
  ['US$5 or A$6', 'US$5 or A$6'],
  ['$2x$ is twice', '$$2x$$ is twice'],
])('%j becomes %j', (text, marked) => {
  expect(withMathMarks(text)).toBe(marked)
})

test('a text without marks is not looked at', () => {
  expect([hasMath('plain'), hasMath('$1')]).toEqual([false, true])
})

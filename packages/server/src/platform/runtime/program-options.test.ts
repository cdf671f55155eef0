import { expect, test } from 'vitest'
import { flag, numberAboveZero, oneOf, parseProgram, requiredText, someText, wholeNumber } from './program-options.ts'

const program = {
  name: 'npm run example --',
  does: 'Shows how.',
  options: {
    rate: wholeNumber({ help: 'how many', otherwise: 100, from: 1, to: 5_000 }),
    first: wholeNumber({ help: 'where to begin', otherwise: null }),
    seconds: { ...numberAboveZero({ help: 'how long', to: 60 }), otherwiseText: 'as long as it takes' },
    engine: oneOf(['sqlite', 'postgres'], { help: 'which engine' }),
    file: someText('file', { help: 'where to write' }),
    'no-claim': flag({ help: 'leave it' }),
    quick: flag({ help: 'be quick' }),
  },
} as const

function parse(...words: string[]) {
  const told: string[] = []
  const line = parseProgram(program, words, {
    print: (text) => void told.push(text),
    printError: (text) => void told.push(text),
  })
  return { line, told }
}

test('what is not given has its default', () => {
  expect(parse().line).toEqual({
    kind: 'run',
    values: {
      ...{ rate: 100, first: null, seconds: null, engine: 'sqlite' },
      file: null,
      'no-claim': false,
      quick: false,
    },
  })
})

test('what is given is parsed, with a space or an equals sign', () => {
  const { line } = parse(
    '--rate',
    '5000',
    '--seconds=0.5',
    '--engine',
    'postgres',
    '--no-claim',
    '--quick',
    '--first=0',
  )
  expect(line).toEqual({
    kind: 'run',
    values: {
      ...{ rate: 5_000, first: 0, seconds: 0.5, engine: 'postgres' },
      file: null,
      'no-claim': true,
      quick: true,
    },
  })
})

test.each([
  [['--rate', '0'], "option '--rate <count>' argument '0' is invalid. Give a whole number from 1 to 5000."],
  [['--rate', '5001'], "option '--rate <count>' argument '5001' is invalid. Give a whole number from 1 to 5000."],
  [['--rate', '0.3'], "option '--rate <count>' argument '0.3' is invalid. Give a whole number from 1 to 5000."],
  [['--rate', '0x10'], "option '--rate <count>' argument '0x10' is invalid. Give a whole number from 1 to 5000."],
  [['--rate', '-1'], "option '--rate <count>' argument '-1' is invalid. Give a whole number from 1 to 5000."],
  [['--rate='], "option '--rate <count>' argument '' is invalid. Give a whole number from 1 to 5000."],
  [['--first', '9'.repeat(16)], `argument '${'9'.repeat(16)}' is invalid. Give a whole number from 0.`],
  [['--seconds', '0'], "argument '0' is invalid. Give a number above 0, at most 60."],
  [['--seconds', '61'], "argument '61' is invalid. Give a number above 0, at most 60."],
  [['--seconds', 'Infinity'], "argument 'Infinity' is invalid. Give a number above 0, at most 60."],
  [['--engine', 'mysql'], "option '--engine <name>' argument 'mysql' is invalid. Give sqlite or postgres."],
  [['--file='], "option '--file <file>' argument '' is invalid."],
  [['--rate'], "option '--rate <count>' argument missing"],
  [['--rat', '1'], `unknown option '--rat' (Did you mean --rate?); "npm run example -- --help" tells what there is`],
  [['3'], `unexpected argument '3'; "npm run example -- --help" tells what there is`],
])('%j is one line and exit code 2', (words, sentence) => {
  const { line, told } = parse(...words)
  expect(line).toEqual({ kind: 'end', exitCode: 2 })
  expect(told).toEqual([expect.stringContaining(sentence)])
  expect(told[0]).toMatch(/^error: [^\n]+$/)
})

test('help names every option with what it takes and its default', () => {
  const { line, told } = parse('--help')
  expect(line).toEqual({ kind: 'end', exitCode: 0 })
  expect(told.join('\n')).toMatch(/^Usage: npm run example -- \[options\]\n\nShows how\.\n/)
  for (const text of [
    /--rate <count> +how many \(default: 100\)/,
    /--first <count> +where to begin\n/,
    /--seconds <number> +how long \(default: as long as it takes\)/,
    /--engine <name> +which engine: sqlite or postgres \(default: "sqlite"\)/,
    /--no-claim +leave it\n/,
  ]) {
    expect(told.join('\n')).toMatch(text)
  }
})

test('a program without a required option does not run', () => {
  const told: string[] = []
  const output = { print: () => undefined, printError: (text: string) => void told.push(text) }
  const needy = { name: 'npm run sweep --', does: '', options: { keys: requiredText('file', { help: 'keys' }) } }
  expect(parseProgram(needy, [], output)).toEqual({ kind: 'end', exitCode: 2 })
  expect(parseProgram(needy, ['--key', 'file'], output)).toEqual({ kind: 'end', exitCode: 2 })
  expect(told).toEqual(["error: option '--keys <file>' is missing", expect.stringContaining("unknown option '--key'")])
})

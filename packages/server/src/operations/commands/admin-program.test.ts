import type { Command, Option } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from './admin-program.ts'
import type { CommandDeps } from './run-command.ts'

const NAMES_PATH = /<(?:file|folder|csv)>/

function optionsOf(command: Command, name: string): readonly (readonly [string, Option])[] {
  const own = command.options.map((option) => [`${name} ${option.flags}`, option] as const)
  return [...own, ...command.commands.flatMap((child) => optionsOf(child, `${name} ${child.name()}`))]
}

const silent = { print: () => undefined, printError: () => undefined }
const paths = optionsOf(createProgram({} as CommandDeps, silent), 'admin').filter(([flags]) => NAMES_PATH.test(flags))

test.each(paths)('%s means a file where the person stands', (_flags, { parseArg }) => {
  // What reads it makes the path absolute, by `namedPath`.
  const read: unknown = parseArg?.('invoice.csv', undefined)
  expect(Array.isArray(read) ? read : [read]).toEqual([`${process.cwd()}/invoice.csv`])
})

test('there are such options', () => {
  expect(paths.length).toBeGreaterThanOrEqual(9)
})

import { expect, test } from 'vitest'
import { fundCommand } from './fund-command.ts'

test.each([
  ['8787', 'npm run fund'],
  ['', 'npm run fund'],
  ['8931', 'SVC_PORT=8931 npm run fund'],
])('on port %j the command is %j', (port, command) => {
  expect(fundCommand(port)).toBe(command)
})

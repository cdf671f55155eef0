/** What the bench says of a wrong command line. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const runFile = promisify(execFile)
const BENCH = join(import.meta.dirname, 'bench.ts')

test('a row that is not there is refused', async () => {
  const failed = await runFile(process.execPath, [BENCH, '--rows', '99']).catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('Give numbers from 1 to 16') })
})

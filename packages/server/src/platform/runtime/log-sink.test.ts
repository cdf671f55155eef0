import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { UNREAD_BYTES_MAX } from './log-sink.ts'

/** More than what is kept and what the pipe itself holds. */
const LINES = 40_000
const LINE = JSON.stringify({ level: 'info', msg: 'x'.repeat(1_000) })

/** Writes lines that nobody reads yet, says when it is done, and stays until it is told to end. */
const PROGRAM = `
  import { openLogSink } from ${JSON.stringify(new URL('log-sink.ts', import.meta.url).href)}
  const sink = openLogSink()
  for (let at = 0; at < ${LINES}; at += 1) {
    sink.write(${JSON.stringify(`${LINE}\n`)})
    if (at % 1_000 === 0) await new Promise(setImmediate)
  }
  process.send('written')
  process.once('message', () => process.disconnect())
`

test('lines that nobody reads are kept up to a limit, and once they are read a line says how many are lost', async () => {
  const args = ['--input-type=module', '--eval', PROGRAM]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  try {
    await once(child, 'message')
    let [count, lost] = [0, 0]
    for await (const line of createInterface({ input: child.stdout! })) {
      const { msg, lines = 0 } = JSON.parse(line) as { readonly msg: string; readonly lines?: number }
      if (lines > 0) expect(msg).toBe('log lines were lost: nobody read them')
      else count += 1
      lost += lines
      if (count + lost === LINES) break
    }
    expect(lost).toBeGreaterThan(0)
    expect(count * LINE.length).toBeLessThan(2 * UNREAD_BYTES_MAX)
    child.send('end')
    await once(child, 'exit')
  } finally {
    child.kill('SIGKILL')
  }
})

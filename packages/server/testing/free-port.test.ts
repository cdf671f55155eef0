import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { findFreePort } from './free-port.mjs'

/** The ports that another process of tests is given. */
function portsOfAnother(): number[] {
  const path = new URL('free-port.mjs', import.meta.url).href
  const script = `const { findFreePort } = await import(${JSON.stringify(path)})
    console.log(JSON.stringify([await findFreePort(), await findFreePort(), await findFreePort()]))`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  return JSON.parse(printed) as number[]
}

test('processes of tests are given ports of their own, which the system gives to no connection', async () => {
  const own = await Promise.all(Array.from({ length: 50 }, () => findFreePort()))
  const others = [...portsOfAnother(), ...portsOfAnother()]
  expect(new Set(own).size).toBe(50)
  expect(Math.max(...own, ...others)).toBeLessThan(32_768)
  const blockOf = (port: number): number => Math.floor(port / 100)
  const [block] = own.map(blockOf)
  expect(own.map(blockOf)).toEqual(own.map(() => block))
  expect(others.map(blockOf)).not.toContain(block)
})

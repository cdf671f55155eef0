/**
 * Loaded into a gateway by `--import`: says how much CPU of the main thread its longest turn of the event loop took
 * since it was asked last. CPU and not time, so that what else the machine does counts for nothing.
 */
import { isMainThread } from 'node:worker_threads'

let longestUs = 0
let before = process.threadCpuUsage()

function turn(): void {
  const now = process.threadCpuUsage()
  longestUs = Math.max(longestUs, now.user - before.user + now.system - before.system)
  before = now
  setImmediate(turn)
}

process.on('message', (message) => {
  if (message !== 'turns') return
  process.send?.({ longestUs })
  longestUs = 0
})
// A gateway that stops does not wait for its observer.
process.channel?.unref()
// It is loaded into each thread.
if (isMainThread) turn()

/**
 * Loaded into a gateway by `--import`: measures its event loop from within and tells its parent process, when
 * asked. No inspector, which would change what is measured.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()

process.on('message', (message) => {
  if (message !== 'measure' && message !== 'collect') return
  // What is left after a collection is what is kept. Node is started with `--expose-gc`.
  if (message === 'collect') globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  const [p50Ms, p99Ms, maxMs] = [delay.percentile(50), delay.percentile(99), delay.max].map(
    (nanoseconds) => nanoseconds / 1e6,
  )
  process.send?.({ heapUsed, external, p50Ms, p99Ms, maxMs })
  delay.reset()
})
// A gateway that stops does not wait for its observer.
process.channel?.unref()

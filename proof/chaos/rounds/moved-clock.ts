/**
 * Loaded into a gateway by `--import`: moves its time of day by as much as its parent process says. How time passes
 * (`performance.now()`, timers) stays as it is, as on a machine whose clock is set.
 */
let movedMs = 0
const SystemDate = Date

class MovedDate extends SystemDate {
  constructor(...given: readonly unknown[]) {
    const parts = given.length === 0 ? [MovedDate.now()] : given
    super(...(parts as [number]))
  }

  static override now(): number {
    return SystemDate.now() + movedMs
  }
}

globalThis.Date = MovedDate as DateConstructor

process.on('message', (message) => {
  if (typeof message !== 'object' || message === null || !('movedMs' in message)) return
  const { movedMs: asked } = message
  if (typeof asked === 'number') movedMs = asked
})
// A gateway that stops does not wait for the process that moves its clock.
process.channel?.unref()

import type { Output } from './output.ts'
import { styled } from './style.ts'

const BAR_WIDTH = 24
const FULL = '█'
const EMPTY = '░'

/** A line that changes while something is done; nothing at all where the output is no terminal. */
export interface ProgressLine {
  /** @param percent 0 to 100. */
  show(percent: number, text: string): Promise<void>
  /** Takes the line away. */
  clear(): Promise<void>
}

/** Erases the line and goes back to its start. Source: ECMA-48, "EL". */
const ERASE = '\r\u001b[2K'

export function createProgressLine(output: Output): ProgressLine {
  let isShown = false
  return {
    show: async (percent, text) => {
      if (!output.isTerminal) return
      const filled = Math.round((Math.min(100, Math.max(0, percent)) / 100) * BAR_WIDTH)
      const bar = FULL.repeat(filled) + EMPTY.repeat(BAR_WIDTH - filled)
      isShown = true
      await output.bytes(`${ERASE}${styled(output, 'cyan', bar)} ${String(Math.round(percent)).padStart(3)} %  ${text}`)
    },
    clear: async () => {
      if (isShown) await output.bytes(ERASE)
      isShown = false
    },
  }
}

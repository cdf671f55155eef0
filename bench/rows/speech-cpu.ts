import type { Row } from '../row.ts'
import { measureMediaCpu } from './media-cpu.ts'

/** Source: docs/benchmark.md, row 10. */
export const speechCpu: Row = {
  number: 10,
  title: 'CPU per spoken text',
  measure: async (context) => [
    await measureMediaCpu(context, {
      ...{ row: 10, work: 'speech', connections: 16 },
      figure: 'CPU per spoken text of 180 characters, 48 KiB of audio, embedded',
    }),
  ],
}

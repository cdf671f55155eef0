import type { Row } from '../row.ts'
import { measureMediaCpu } from './media-cpu.ts'

/** Source: docs/benchmark.md, row 11. */
export const transcriptionCpu: Row = {
  number: 11,
  title: 'CPU per transcript',
  measure: async (context) => [
    await measureMediaCpu(context, {
      ...{ row: 11, work: 'transcription', connections: 16 },
      figure: 'CPU per transcript of a 160 KB file, embedded',
    }),
  ],
}

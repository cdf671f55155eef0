import type { Row } from '../row.ts'
import { measureMediaCpu } from './media-cpu.ts'

/** Source: docs/benchmark.md, row 13. */
export const imageCpu: Row = {
  number: 13,
  title: 'CPU per image',
  measure: async (context) => [
    await measureMediaCpu(context, {
      ...{ row: 13, work: 'image', connections: 16 },
      figure: 'CPU per image of 1 MiB, 1.4 MB of JSON, embedded',
    }),
  ],
}

import type { filesEndpoints } from '../endpoints/files.ts'
import type { ExampleTable } from './example.ts'

export const filesExamples: ExampleTable<typeof filesEndpoints> = { getMedia: {} }

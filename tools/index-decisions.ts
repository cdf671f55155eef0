/** Writes the index of the decisions: `node tools/index-decisions.ts`. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DECISION_INDEX, renderDecisionIndex } from './tidy/decision-index.ts'
import { readTree } from './tidy/tree.ts'

const root = path.dirname(import.meta.dirname)
await writeFile(path.join(root, DECISION_INDEX), renderDecisionIndex(readTree(root)))

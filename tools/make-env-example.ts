/** `node tools/make-env-example.ts`: makes `deploy/svc.env.example` from the table of variables. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { secretNames } from '../packages/server/src/config/environment.ts'
import { renderEnvExample } from './production/env-example.ts'

const root = path.dirname(import.meta.dirname)
const page = readFileSync(path.join(root, 'docs/configuration.md'), 'utf8')
writeFileSync(path.join(root, 'deploy/svc.env.example'), renderEnvExample(page, secretNames))

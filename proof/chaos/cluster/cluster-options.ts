import {
  flag,
  oneOf,
  type ProgramOption,
  refuseValue,
  someText,
  wholeNumber,
} from '../../../packages/server/src/platform/runtime/program-options.ts'
import { type ClusterEvent, clusterEvents } from './cluster-events.ts'

const eventsOption: ProgramOption<readonly ClusterEvent[]> = {
  help: `what happens to the cluster, in order, with commas between: ${clusterEvents.join(', ')}`,
  takes: 'names',
  otherwise: clusterEvents,
  otherwiseText: 'all',
  parse(text) {
    return text.split(',').map((part) => {
      const found = clusterEvents.find((each) => each === part.trim())
      if (found === undefined) refuseValue(`There is no "${part.trim()}". Give ${clusterEvents.join(', ')}.`)
      return found
    })
  },
}

/** Options of `--cluster`. */
export const clusterOptions = {
  cluster: flag({ help: 'a cluster of three PostgreSQL nodes that fails over, in place of all else' }),
  events: eventsOption,
  setup: oneOf(['recommended', 'plain'], {
    help: 'the cluster as deploy/postgres-cluster has it, or without its safety',
  }),
  rate: wholeNumber({ help: 'requests a second, with --cluster', otherwise: 20, from: 1 }),
  streams: wholeNumber({ help: 'streams that stay open beside them, with --cluster', otherwise: 50 }),
  logs: someText('folder', { help: 'where the logs of the cluster are put at its end' }),
} as const

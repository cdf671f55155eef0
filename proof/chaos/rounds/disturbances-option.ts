import { type ProgramOption, refuseValue } from '../../../packages/server/src/platform/runtime/program-options.ts'
import { type Disturbance, disturbances } from './disturbances.ts'

/** What happens in rounds, in turns; null for all that the engine has. */
export const disturbancesOption: ProgramOption<readonly Disturbance[] | null> = {
  help: `what happens in rounds, in turns, with commas between: ${disturbances.join(', ')}`,
  takes: 'names',
  otherwise: null,
  parse(text) {
    return text.split(',').map((part) => {
      const found = disturbances.find((each) => each === part.trim())
      if (found === undefined) refuseValue(`There is no "${part.trim()}". Give ${disturbances.join(', ')}.`)
      return found
    })
  },
}

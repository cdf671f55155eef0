import { useQueryClient } from '@tanstack/react-query'
import { OPERATOR } from '../../api/operator.ts'
import { toast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'

/** Something that an operator does: what it changes is asked for anew, and what was done is said. */
export function useOperatorAction<Input>(
  work: (input: Input, name: string) => Promise<unknown>,
  said: string,
  onDone?: () => void,
) {
  const client = useQueryClient()
  return useAction<Input>({
    act: work,
    onSuccess: async () => {
      toast.done(said)
      onDone?.()
      await Promise.all([
        client.invalidateQueries({ queryKey: [OPERATOR] }),
        client.invalidateQueries({ queryKey: ['session'] }),
        client.invalidateQueries({ queryKey: ['announcements'] }),
      ])
    },
  })
}

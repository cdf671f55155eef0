/** What can be done about linked wallets. */
import { consoleEndpoints } from '@svc/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { consoleApi } from '../../api/client.ts'
import { walletsQuery } from '../../api/funding.ts'
import { useTeam } from '../../api/session.ts'
import { toast } from '../../ui/toasts.tsx'
import type { InjectedWallet } from '../../wallet/injected-wallets.ts'
import { askAccount, type Hex, signText } from '../../wallet/wallet-calls.ts'

type ChainId = 4663 | 46630

function useRefresh(): () => Promise<void> {
  const team = useTeam()
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: walletsQuery(team.id).queryKey })
}

/** The message that a wallet is to sign. */
export function useWalletChallenge() {
  const team = useTeam()
  return useMutation({
    mutationFn: (wallet: { readonly address: string; readonly chainId: ChainId }) =>
      consoleApi.call(consoleEndpoints.challengeTeamWallet, { path: { team_id: team.id }, body: wallet }),
  })
}

/** Links the wallet that has signed such a message. */
export function useLinkSigned() {
  const team = useTeam()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (signed: { readonly message: string; readonly signature: string }) =>
      consoleApi.call(consoleEndpoints.linkTeamWallet, { path: { team_id: team.id }, body: signed }),
    onSuccess: async () => {
      await refresh()
      toast.done('The wallet is linked.')
    },
  })
}

/** Asks a wallet of this browser for its account and its signature, and links it. */
export function useLinkInjected(chainId: ChainId) {
  const challenge = useWalletChallenge()
  const link = useLinkSigned()
  return useMutation({
    mutationFn: async ({ provider }: InjectedWallet) => {
      const account: Hex = await askAccount(provider)
      const { message } = await challenge.mutateAsync({ address: account, chainId })
      await link.mutateAsync({ message, signature: await signText(provider, account, message) })
    },
  })
}

export function useUnlinkWallet(walletId: string) {
  const team = useTeam()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () =>
      consoleApi.call(consoleEndpoints.unlinkTeamWallet, { path: { team_id: team.id, wallet_id: walletId } }),
    onSuccess: refresh,
  })
}

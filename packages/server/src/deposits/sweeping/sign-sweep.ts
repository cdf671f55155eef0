import type { Hex } from '../../chain/assets.ts'
import type { Outflow } from '../outflow.ts'

/** A transaction that is ready to be sent. */
export interface SignedSweep {
  readonly txHash: Hex
  readonly signed: Hex
}

/**
 * Gas that a payment may use. What is not used is given back; on a rollup the data's share of the parent chain counts
 * as gas, so a plain payment needs more than the 21,000 of the main chain. Source: own choice.
 */
export const ETH_GAS = 200_000n
const TOKEN_GAS = 400_000n

/** How long a token authorization can be used, in seconds. After it, an unused one is dead for good. */
const AUTHORIZATION_SECONDS = 1_800

/** The end of an outflow's authorization, in seconds since the epoch. It follows from the id, which holds the time. */
export function validBeforeOf({ outflowId }: Pick<Outflow, 'outflowId'>): number {
  const madeAtMs = Number.parseInt(outflowId.slice(0, 8) + outflowId.slice(9, 13), 16)
  return Math.floor(madeAtMs / 1_000) + AUTHORIZATION_SECONDS
}

const TRANSFER_TYPE =
  'TransferWithAuthorization(address from,address to,uint256 value,' +
  'uint256 validAfter,uint256 validBefore,bytes32 nonce)'

const transferAbi = [
  {
    type: 'function',
    name: 'transferWithAuthorization',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validAfter', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
      { name: 'v', type: 'uint8' },
      { name: 'r', type: 'bytes32' },
      { name: 's', type: 'bytes32' },
    ],
    outputs: [],
  },
] as const

/** The nonce of an outflow's authorization: the same however often it is signed, so that it moves once. */
export async function authorizationNonce({ outflowId }: Pick<Outflow, 'outflowId'>): Promise<Hex> {
  const { keccak256, toHex } = await import('viem')
  return keccak256(toHex(`svc sweep ${outflowId}`))
}

export interface TokenSweep {
  readonly chainId: number
  readonly token: Hex
  readonly domainSeparator: Hex
  readonly outflow: Pick<Outflow, 'outflowId' | 'address' | 'amount'>
  readonly treasury: Hex
  /** Seconds since the epoch. */
  readonly validBefore: number
  readonly childKey: Hex
  readonly relayerKey: Hex
  readonly relayerNonce: number
  readonly gasPrice: bigint
}

/**
 * Signs the transfer of tokens away from a deposit address, which needs no ether for it: the address authorises, the
 * relayer sends and pays. Source: EIP-3009, EIP-712.
 */
export async function signTokenSweep(sweep: TokenSweep): Promise<SignedSweep> {
  const { concat, encodeAbiParameters, encodeFunctionData, keccak256, parseSignature, toHex } = await import('viem')
  const { privateKeyToAccount, sign } = await import('viem/accounts')
  const { outflow, treasury } = sweep
  const nonce = await authorizationNonce(outflow)
  const values = [outflow.address, treasury, outflow.amount, 0n, BigInt(sweep.validBefore), nonce] as const
  const message = encodeAbiParameters(
    [
      { type: 'bytes32' },
      ...['address', 'address', 'uint256', 'uint256', 'uint256', 'bytes32'].map((type) => ({ type })),
    ],
    [keccak256(toHex(TRANSFER_TYPE)), ...values],
  )
  const hash = keccak256(concat(['0x1901', sweep.domainSeparator, keccak256(message)]))
  const { r, s, v } = parseSignature(await sign({ hash, privateKey: sweep.childKey, to: 'hex' }))
  const data = encodeFunctionData({
    ...{ abi: transferAbi, functionName: 'transferWithAuthorization' },
    args: [...values, Number(v ?? 27n), r, s],
  })
  const signed = await privateKeyToAccount(sweep.relayerKey).signTransaction({
    ...{ type: 'eip1559', chainId: sweep.chainId, to: sweep.token, data, value: 0n, gas: TOKEN_GAS },
    ...{ nonce: sweep.relayerNonce, maxFeePerGas: sweep.gasPrice, maxPriorityFeePerGas: 0n },
  })
  return { signed, txHash: keccak256(signed) }
}

export interface EtherSweep {
  readonly chainId: number
  /** Its fee is what the payment may cost at most. */
  readonly outflow: Pick<Outflow, 'amount' | 'fee'>
  readonly treasury: Hex
  readonly childKey: Hex
  readonly nonce: number
}

/** Signs the payment of ether from a deposit address: the same bytes however often, for the same outflow and nonce. */
export async function signEtherSweep(sweep: EtherSweep): Promise<SignedSweep> {
  const { keccak256 } = await import('viem')
  const { privateKeyToAccount } = await import('viem/accounts')
  const signed = await privateKeyToAccount(sweep.childKey).signTransaction({
    ...{ type: 'eip1559', chainId: sweep.chainId, to: sweep.treasury, value: sweep.outflow.amount, gas: ETH_GAS },
    ...{ nonce: sweep.nonce, maxFeePerGas: sweep.outflow.fee / ETH_GAS, maxPriorityFeePerGas: 0n },
  })
  return { signed, txHash: keccak256(signed) }
}

/** The address of a private key, in lower case. */
export async function addressOfKey(key: Hex): Promise<Hex> {
  const { privateKeyToAddress } = await import('viem/accounts')
  return privateKeyToAddress(key).toLowerCase() as Hex
}

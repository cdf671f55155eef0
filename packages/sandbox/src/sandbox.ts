/**
 * The sandbox: an upstream that answers without an account anywhere, and chains for trying deposits out. A gateway
 * reaches the upstream over HTTP, like any other; this is what starts it, and what a catalog has to know of it.
 */
export { type CompiledContracts, compileContracts, LOCAL_CONTRACTS } from './compile-contracts.ts'
export { sandboxEmbeddingModels } from './embedding-model.ts'
export { findAnvil } from './find-anvil.ts'
export { findRecogniser } from './find-recogniser.ts'
export { type LocalChain, type LocalChains, startLocalChains } from './local-chains.ts'
export { findAbilities } from './media/abilities.ts'
export { type PlayedModel, sandboxParameters } from './model-list.ts'
export { askNode, BANKER_ADDRESS, callContract, TOKEN_ADDRESS } from './place-contracts.ts'
export type { TokenUsage } from './prices.ts'
export { sandboxModerationModels } from './moderation-model.ts'
export { sandboxRerankModels } from './rerank-model.ts'
export { type FoundModel, findSandboxModel, sandboxMediaModels, sandboxModels } from './sandbox-model.ts'
export { noPace, type SandboxOptions } from './sandbox-options.ts'
export { isScripted } from './sandbox-prefix.ts'
export { type Sandbox, startSandbox } from './sandbox-server.ts'
export { startAnvil } from './start-anvil.ts'

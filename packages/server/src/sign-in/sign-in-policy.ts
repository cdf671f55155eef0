/** Who may come in, and how. Asked at every attempt, since an operator can change the rules at any time. */
export interface SignInPolicy {
  /** Whether somebody with this address, who has no account yet, may get one. */
  mayJoin(email: string): Promise<boolean>
  readonly allowsPasswords: () => Promise<boolean>
  readonly allowsWallets: () => Promise<boolean>
}

/** What else the library is given. */
export interface SignInDeps {
  readonly policy: SignInPolicy
  /** Sends a link that signs in. Rejects when it cannot be sent. */
  readonly sendLink: (mail: { readonly email: string; readonly url: string }) => Promise<void>
  /** Whether a signature of a sign-in message is the wallet's. */
  readonly verifyWallet: (message: {
    readonly address: string
    readonly chainId: number
    readonly text: string
    readonly signature: string
  }) => Promise<boolean>
  /** Takes a first-run token once; false where it is unknown or used. */
  readonly takeFirstRunToken: (token: string) => Promise<boolean>
  /** Called once the first operator has come in. */
  readonly onFirstOperator: (userId: string, name: string) => Promise<void>
  /** The address of the sandbox's user; null where nobody comes in without proof. */
  readonly demoEmail: string | null
  /** Called when the sandbox's user has come in. */
  readonly onDemoUser: (userId: string) => Promise<void>
}

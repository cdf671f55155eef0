// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Answers many questions with one call, as the contract of that kind does on public chains.
contract BalanceReader {
    struct Call {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 at = 0; at < calls.length; at++) {
            (results[at].success, results[at].returnData) = calls[at].target.call(calls[at].callData);
            require(results[at].success || calls[at].allowFailure, "a call failed");
        }
    }

    function getEthBalance(address account) external view returns (uint256) {
        return account.balance;
    }
}

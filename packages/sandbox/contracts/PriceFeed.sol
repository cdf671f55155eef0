// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A stand-in for a price feed on local chains: rounds that anybody may add, asked as the real one is asked. It has no
/// constructor, so that its code can be placed at any address.
contract PriceFeed {
    struct Round {
        int256 answer;
        uint256 updatedAt;
    }

    uint8 public constant decimals = 8;
    uint256 private constant PHASE = uint256(1) << 64;

    string public description;
    Round[] private rounds;

    function setDescription(string calldata text) external {
        description = text;
    }

    /// Adds a round with a time of its own.
    function push(int256 answer, uint256 updatedAt) external {
        rounds.push(Round(answer, updatedAt));
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        require(rounds.length > 0, "No data present");
        return round(rounds.length);
    }

    function getRoundData(uint80 roundId) external view returns (uint80, int256, uint256, uint256, uint80) {
        require(roundId > PHASE && roundId <= PHASE + rounds.length, "No data present");
        return round(roundId - PHASE);
    }

    function round(uint256 number) private view returns (uint80, int256, uint256, uint256, uint80) {
        Round memory found = rounds[number - 1];
        uint80 roundId = uint80(PHASE + number);
        return (roundId, found.answer, found.updatedAt, found.updatedAt, roundId);
    }
}

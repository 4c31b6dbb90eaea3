"""City Services: place Zones, then Services that score the Zones in their range.

Rulebook: City Services. Where is a rule? Setup and Plan Phase: `cups`; Build Phase and Placement Limits:
`placement`; Revenue Phase and Scoring Limits: `revenue`; turns and the end of the game: `play`; how seats
choose: `policies`. What is counted: `tally`; a game move by move: `show`.
"""

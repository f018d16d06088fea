# Judgements of people on pairs of sounds: few of all pairs, some without an answer, some repeated.
python make_data.py survey
# A judgement of (a, b) is one of (b, a) too, and repeated judgements are averaged.
similearn inspect judgements.csv --labels kinds.csv --kind similarity --undirected --repeated mean
# Four sounds have no label: they are left for prediction.
similearn fit judgements.csv --labels kinds.csv --kind similarity --undirected --repeated mean -o sounds.model
similearn predict sounds.model judgements.csv --undirected --repeated mean -o predicted.csv

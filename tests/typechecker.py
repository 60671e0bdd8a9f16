"""The type checker that tests run docendo under: beartype, an int being as good as a float (PEP 484)."""

from beartype import BeartypeConf, beartype

checked = beartype(conf=BeartypeConf(is_pep484_tower=True))
